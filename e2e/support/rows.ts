import { expect, type Page } from '@playwright/test'

/** Selects these rows in the list for a bulk action. */
export async function markRows(page: Page, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const row = page.getByRole('row', { name, exact: true })
    // the label covers the checkbox itself
    await row.locator('label').click()
    await expect(row.getByRole('checkbox', { name: `Select ${name}` })).toBeChecked()
  }
}
