import { expect, type Page } from '@playwright/test'

/** Marks these rows of the list, as for an action on several: each where it stands still and nothing lies over it. */
export async function markRows(page: Page, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const row = page.getByRole('row', { name, exact: true })
    // the box itself is drawn by what lies around it
    await row.locator('label').click()
    await expect(row.getByRole('checkbox', { name: `Select ${name}` })).toBeChecked()
  }
}
