/// Stands for each header of texture and surface references that CUDA 13 has no more: found last, and only if
/// the toolkit has none of that name.
#error                                                                                                       \
    "CUDA 13 has no texture and surface references: drop this include, and use texture objects (cudaTextureObject_t, tex2D<float>(object, x, y))"
