// Remembering where manifolds were computed, in a store that keeps them from detect to detect.
#ifndef AB_REMEMBER_H
#define AB_REMEMBER_H

#include "contact/contact_write.h"
#include "contact/references.h"

// Says of contacts [first, end) whether their manifolds were kept, and whether where they were computed is worth remembering;
// which slots those get is decided when all is published.
void ab_mark_kept(const ab_contact_writing *w, uint32_t first, uint32_t end);

// Remembers where each manifold was computed that was not kept and is worth it. References of the last results are written over:
// to be done when nothing can be refused any more.
void ab_remember(ab_references *references, const ab_contact_writing *w, ab_results *now, ab_results *before);

#endif
