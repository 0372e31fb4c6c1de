import { expect, type Page } from '@playwright/test'

/** Selects these rows of the list for a bulk action. */
export async function markRows(page: Page, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const row = page.getByRole('row', { name, exact: true })
    // the checkbox itself is covered by its label
    await row.locator('label').click()
    await expect(row.getByRole('checkbox', { name: `Select ${name}` })).toBeChecked()
  }
}
