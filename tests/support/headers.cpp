// Nothing: what is compiled here are the headers that all tests share (tests/CMakeLists.txt).
