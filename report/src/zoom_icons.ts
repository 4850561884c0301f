/// Drawings on the buttons that zoom.
const zoomIn = "M11 8v6M8 11h6M20 20l-4.2-4.2M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z";
const zoomOut = "M8 11h6M20 20l-4.2-4.2M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z";
const zoomAll = "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5";
export const zoomIcons = { zoomIn, zoomOut, zoomAll };
