import type { SchoolRow } from '../../../school/apiRows.ts'

/** True if the school has what an invoice and an imprint need: an address, a contact address, and a tax number if its prices are taxed. */
export const hasDetails = ({
  address,
  contact_email: email,
  settings,
}: Pick<SchoolRow, 'address' | 'contact_email' | 'settings'>): boolean =>
  Boolean(address?.line1 && address.city && address.country && email && (settings.tax.mode === 'none' || settings.tax.tax_id))
