# How many bytes are left of `room` after a value. At least as many are taken as `marshal` writes. 0 if the value does not fit, is
# nested too deep, or is not plain data. A part that is reached twice counts twice.
cpdef Py_ssize_t room_after(object value, Py_ssize_t room, int depth=*) except? -1
