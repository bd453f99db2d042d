-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on grant_use, ACCESS EXCLUSIVE on oidc_client, ACCESS EXCLUSIVE on school

-- AlterTable
ALTER TABLE "grant_use" ADD COLUMN     "hour" SMALLINT NOT NULL DEFAULT 0,
ADD COLUMN     "refused_in_hour" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "oidc_client" ADD COLUMN     "agreed_at" TIMESTAMPTZ(3),
ADD COLUMN     "continued_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "school" ADD COLUMN     "app_rules" JSONB NOT NULL DEFAULT '{}';

-- CreateTable
CREATE TABLE "app_signal" (
    "school_id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "noticed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "counted" BIGINT NOT NULL,
    "threshold" BIGINT NOT NULL,
    "mailed_at" TIMESTAMPTZ(3),

    CONSTRAINT "app_signal_pkey" PRIMARY KEY ("school_id","client_id","kind","day")
);

-- CreateIndex
CREATE INDEX "app_signal_day_idx" ON "app_signal"("day");

-- AddForeignKey
ALTER TABLE "app_signal" ADD CONSTRAINT "app_signal_school_id_client_id_fkey" FOREIGN KEY ("school_id", "client_id") REFERENCES "oidc_client"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Handwritten: processes read a client again when an owner agrees to it, and every client of a school when its rules change.
CREATE OR REPLACE TRIGGER oidc_client_changed AFTER UPDATE ON oidc_client FOR EACH ROW
    WHEN ((OLD.metadata, OLD.registered_via, OLD.disabled_at, OLD.paused_at, OLD.agreed_at)
            IS DISTINCT FROM (NEW.metadata, NEW.registered_via, NEW.disabled_at, NEW.paused_at, NEW.agreed_at))
    EXECUTE FUNCTION report_client();

CREATE FUNCTION report_app_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_fact('school', NEW.id, NEW.id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER school_app_rules_changed AFTER UPDATE OF app_rules ON school FOR EACH ROW
    WHEN (OLD.app_rules IS DISTINCT FROM NEW.app_rules)
    EXECUTE FUNCTION report_app_rules();
