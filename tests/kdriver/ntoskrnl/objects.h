/* Handles and references. Objects: threads (struct fake_fiber) and whatever stands in objects.c. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "machine.h"

HANDLE handle_open(void *object);
void object_release(void *object);

#endif
