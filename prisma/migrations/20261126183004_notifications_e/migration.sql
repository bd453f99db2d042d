-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on form, SHARE ROW EXCLUSIVE on school

-- AlterTable
ALTER TABLE "form" ADD COLUMN     "copies_answers" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "notification" (
    "school_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "group_id" UUID NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "after_person_id" UUID,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "notification_pkey" PRIMARY KEY ("school_id","kind","subject_id")
);

-- AddForeignKey
ALTER TABLE "notification" ADD CONSTRAINT "notification_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Handwritten: see prisma/handwritten.txt
CREATE INDEX "notification_due" ON "notification"("due_at") WHERE "finished_at" IS NULL;
CREATE INDEX "notification_finished" ON "notification"("finished_at") WHERE "finished_at" IS NOT NULL;
