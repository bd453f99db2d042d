-- AlterTable
ALTER TABLE "post" ADD COLUMN     "automatic_excerpt" TEXT NOT NULL DEFAULT '';

-- Handwritten: moves the excerpts that were generated from the text, so that gated posts no longer show them. An excerpt counts as
-- generated if it begins like the text, ignoring spaces and punctuation. The excerpt of a gated post also counts if it was truncated.
-- (\x3b is a semicolon: Prisma Migrate splits statements at every semicolon, also inside of strings and comments.)
UPDATE "post" SET "automatic_excerpt" = "excerpt", "excerpt" = NULL
 WHERE "excerpt" IS NOT NULL
   AND (("visibility" <> 'public' AND "excerpt" LIKE '%…')
        OR starts_with(
             regexp_replace(
               coalesce((SELECT regexp_replace("content_html", E'<[^>]*>|&[#a-zA-Z0-9]+\\x3b', '', 'g') FROM "post_body"
                          WHERE "post_body"."school_id" = "post"."school_id" AND "post_body"."post_id" = "post"."id"), ''),
               E'[[:space:][:punct:]\u00A0]', '', 'g'),
             left(regexp_replace("excerpt", E'[[:space:][:punct:]\u00A0]|…$', '', 'g'), 12)));
