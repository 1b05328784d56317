// libcurl's stable interface, declared by hand and loaded at run time. See CCurl.c.
#ifndef PAGECAT_CCURL_H
#define PAGECAT_CCURL_H

#endif
