-- AlterTable
ALTER TABLE "event" ADD COLUMN     "waitlist_offer_hours" INTEGER NOT NULL DEFAULT 24;

-- AlterTable
ALTER TABLE "rsvp" ADD COLUMN     "held_seats" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "offered_until" TIMESTAMPTZ(3);

-- Handwritten: see prisma/handwritten.txt

-- The seats that are held for people from a waitlist, by the end of their time.
CREATE INDEX "rsvp_offered_until" ON "rsvp" ("offered_until") WHERE "offered_until" IS NOT NULL;
