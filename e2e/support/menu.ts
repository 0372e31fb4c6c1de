import { expect, type Locator, type Page } from '@playwright/test'

/** Returns the main menu: a rail with groups, or a drawer on phones. */
export const mainMenu = (page: Page): Locator => page.getByRole('navigation', { name: 'Main menu' })

const click = (target: Locator) => target.click()

/**
 * Opens a page from the menu: first the group, then the entry. A group with a single page requires no entry. `press`
 * activates a link; by default, it clicks.
 */
export async function goByMenu(
  page: Page,
  group: string,
  entry?: string,
  press: (target: Locator) => Promise<void> = click,
): Promise<void> {
  const menu = mainMenu(page)
  if (page.viewportSize()!.width < 768) {
    await press(page.getByRole('button', { name: 'Menu', exact: true }))
    await expect(menu).toBeVisible()
    if (entry === undefined) return press(menu.getByRole('link', { name: group, exact: true }))
    const button = menu.getByRole('button', { name: group, exact: true })
    if ((await button.getAttribute('aria-expanded')) === 'false') await press(button)
    return press(menu.getByRole('link', { name: entry, exact: true }))
  }
  const pages = page.getByRole('navigation', { name: group, exact: true })
  if (entry === undefined || !(await pages.isVisible()))
    await press(menu.getByRole('link', { name: group, exact: true }))
  if (entry !== undefined) await press(pages.getByRole('link', { name: entry, exact: true }))
}
