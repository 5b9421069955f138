# Defines the imported targets LibTorch::LibTorch and, where this machine can use a GPU, LibTorch::Cuda; with NCCL's
# header also LibTorch::Nccl, for sums over several GPUs.
#
# LibTorch comes from PyPI's torch wheel: GUMPTION_LIBTORCH names the folder that holds its include/ and lib/, else
# what scripts/setup unpacked is taken, else the torch of this machine's python3. The wheel's own CMake package insists on
# a CUDA toolkit even where none is used, so the targets are ours.

set(GUMPTION_LIBTORCH "$ENV{GUMPTION_LIBTORCH}" CACHE PATH "Folder with LibTorch's include/ and lib/; empty: look for it")
set(LibTorch_ROOT "${GUMPTION_LIBTORCH}")
if(NOT LibTorch_ROOT AND EXISTS ${PROJECT_SOURCE_DIR}/.cache/libtorch/torch/lib/libtorch_cpu.so)
  set(LibTorch_ROOT ${PROJECT_SOURCE_DIR}/.cache/libtorch/torch)
endif()
if(NOT LibTorch_ROOT)
  execute_process(
    COMMAND python3 -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    OUTPUT_VARIABLE LibTorch_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

find_path(LibTorch_INCLUDE_DIR ATen/ATen.h PATHS ${LibTorch_ROOT}/include NO_DEFAULT_PATH)
find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 PATHS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY)

if(LibTorch_INCLUDE_DIR)
  file(STRINGS ${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h version_lines REGEX "define TORCH_VERSION_(MAJOR|MINOR) ")
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1.\\2" LibTorch_VERSION "${version_lines}")
  if(NOT LibTorch_VERSION STREQUAL "2.11")
    message(WARNING "LibTorch is ${LibTorch_VERSION}; gumption is built and tested with 2.11.")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "scripts/setup installs it, -DGUMPTION_LIBTORCH=DIR takes another, -DGUMPTION_WITH_LIBTORCH=OFF builds without")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  # The wheel's include/ also holds a fmt of its own, which must not stand before ours.
  set(overlay ${PROJECT_BINARY_DIR}/libtorch-include)
  file(MAKE_DIRECTORY ${overlay})
  foreach(folder IN ITEMS ATen c10 caffe2 torch)
    file(CREATE_LINK ${LibTorch_INCLUDE_DIR}/${folder} ${overlay}/${folder} SYMBOLIC)
  endforeach()
  add_library(LibTorch::C10 SHARED IMPORTED)
  set_target_properties(LibTorch::C10 PROPERTIES IMPORTED_LOCATION ${LibTorch_C10_LIBRARY})
  add_library(LibTorch::LibTorch SHARED IMPORTED)
  set_target_properties(LibTorch::LibTorch PROPERTIES
    IMPORTED_LOCATION ${LibTorch_CPU_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${overlay};${LibTorch_INCLUDE_DIR}/torch/csrc/api/include"
    INTERFACE_LINK_LIBRARIES LibTorch::C10)

  # A GPU machine has the whole wheel and CUDA's headers; the wheel alone has libtorch_cuda but not what that needs.
  find_package(CUDAToolkit QUIET)
  find_library(LibTorch_CUDA_LIBRARY torch_cuda PATHS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)
  find_library(LibTorch_C10_CUDA_LIBRARY c10_cuda PATHS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)
  mark_as_advanced(LibTorch_CUDA_LIBRARY LibTorch_C10_CUDA_LIBRARY)
  if(CUDAToolkit_FOUND AND LibTorch_CUDA_LIBRARY AND LibTorch_C10_CUDA_LIBRARY)
    add_library(LibTorch::Cuda INTERFACE IMPORTED)
    # Nothing refers to libtorch_cuda by name: its kernels register themselves when it is loaded.
    target_link_libraries(LibTorch::Cuda INTERFACE
      -Wl,--no-as-needed ${LibTorch_CUDA_LIBRARY} ${LibTorch_C10_CUDA_LIBRARY} -Wl,--as-needed CUDA::cudart)
    target_include_directories(LibTorch::Cuda SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
    # Our own kernels: for Hopper, unless CMAKE_CUDA_ARCHITECTURES says otherwise.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 90)
    endif()
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
    # All that the kernels need; CMake 3.25 doesn't know how to ask every nvcc for more.
    if(NOT DEFINED CMAKE_CUDA_STANDARD)
      set(CMAKE_CUDA_STANDARD 17)
    endif()
    enable_language(CUDA)

    # libtorch_cuda brings NCCL itself; its header lies in another wheel or in the system's folders.
    find_path(LibTorch_NCCL_INCLUDE_DIR nccl.h HINTS ${LibTorch_ROOT}/../nvidia/nccl/include)
    mark_as_advanced(LibTorch_NCCL_INCLUDE_DIR)
    if(LibTorch_NCCL_INCLUDE_DIR)
      add_library(LibTorch::Nccl INTERFACE IMPORTED)
      target_link_libraries(LibTorch::Nccl INTERFACE LibTorch::Cuda)
      target_include_directories(LibTorch::Nccl SYSTEM INTERFACE ${LibTorch_NCCL_INCLUDE_DIR})
      target_compile_definitions(LibTorch::Nccl INTERFACE USE_C10D_NCCL)
    endif()
  endif()
endif()

# gumption_install_libtorch(DESTINATION): copies the libraries that a program with LibTorch loads, so that an installed
# one works when the build folder is gone. They look for each other in their own folder.
function(gumption_install_libtorch destination)
  get_filename_component(folder ${LibTorch_CPU_LIBRARY} DIRECTORY)
  file(GLOB libraries ${folder}/libtorch_cpu.so ${folder}/libc10.so ${folder}/libgomp*.so*
    ${folder}/../../nvidia/cu*/lib/libcudart.so.* ${folder}/../../nvidia/cu*/lib/libcupti.so.*)
  install(FILES ${libraries} DESTINATION ${destination})
endfunction()
