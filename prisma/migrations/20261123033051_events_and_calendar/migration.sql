-- AlterTable
ALTER TABLE "event" ADD COLUMN     "reminder_hours" INTEGER,
ADD COLUMN     "waitlist_mode" TEXT NOT NULL DEFAULT 'party';

-- AlterTable
ALTER TABLE "rsvp" ADD COLUMN     "reminded_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "calendar_feed" (
    "school_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "sealed_token" TEXT NOT NULL,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "calendar_feed_pkey" PRIMARY KEY ("school_id","account_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "calendar_feed_school_id_token_hash_key" ON "calendar_feed"("school_id", "token_hash");

-- AddForeignKey
ALTER TABLE "calendar_feed" ADD CONSTRAINT "calendar_feed_account_id_fkey" FOREIGN KEY ("school_id", "account_id") REFERENCES "account"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;
