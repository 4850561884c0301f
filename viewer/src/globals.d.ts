/** Names, versions and licences of what is in the page; the build fills it in. */
declare const __LIBRARIES__: string[];
/** Of workers: their library and the page's exclude each other. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
