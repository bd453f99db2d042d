-- Handwritten: see prisma/handwritten.txt

-- What a search looks in, found by its trigrams. The extension is trusted: whoever may create in the database can install it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX "course_search" ON "course" USING gin ("title" gin_trgm_ops, "subtitle" gin_trgm_ops, "slug" gin_trgm_ops);
CREATE INDEX "lecturer_search" ON "lecturer" USING gin ("display_name" gin_trgm_ops, "headline" gin_trgm_ops, "slug" gin_trgm_ops);
CREATE INDEX "page_search" ON "page" USING gin ("title" gin_trgm_ops, "slug" gin_trgm_ops);
CREATE INDEX "file_search" ON "file" USING gin ("filename" gin_trgm_ops);
