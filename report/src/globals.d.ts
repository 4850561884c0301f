/** Names, versions and licences of the libraries in the bundle; the build fills it in. */
declare const __LIBRARIES__: string[];
declare module "*.css";
