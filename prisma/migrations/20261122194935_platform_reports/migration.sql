-- CreateTable
CREATE TABLE "platform_report" (
    "school_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "platform_report_pkey" PRIMARY KEY ("school_id","id")
);

-- AddForeignKey
ALTER TABLE "platform_report" ADD CONSTRAINT "platform_report_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
