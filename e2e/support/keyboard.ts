import { expect, type BrowserContext, type Locator, type Page } from '@playwright/test'

/** Limit on the number of key presses, higher than any page requires. */
const mostPresses = 80

/** Blocks pointer events in the pages, and logs an error for each. */
export const refuseMouse = (pages: BrowserContext | Page): Promise<unknown> =>
  pages.addInitScript(() => {
    for (const type of ['pointerdown', 'mousedown', 'touchstart', 'click'])
      addEventListener(
        type,
        (event) => {
          // a click triggered by a key has `detail` 0
          if (type === 'click' && (event as UIEvent).detail === 0) return
          event.stopImmediatePropagation()
          event.preventDefault()
          console.error('a mouse was used')
        },
        true,
      )
  })

/**
 * Returns the next key to press to reach the target, or undefined if the target has the focus. Uses arrow keys inside a
 * group.
 */
function keyTowards(target: Element): string | undefined {
  const focused = document.activeElement
  if (focused === target) return undefined
  if (!focused) return 'Tab'
  const isRadio = (it: Element): it is HTMLInputElement => it instanceof HTMLInputElement && it.type === 'radio'
  const groupOf = (it: Element) => (isRadio(it) ? it.name : it.closest('[role=tablist], [role=grid], [data-one-stop]'))
  const memberOf = (it: Element) =>
    isRadio(it) ? it : it.closest('[role=tab], [data-row], [data-one-stop] :is(a, button)')
  const [from, to] = [memberOf(focused), memberOf(target)]
  if (!from || !to || from === to || groupOf(from) !== groupOf(to)) return 'Tab'
  // on the menu button in a row, arrow keys would open the menu
  if (from !== focused && from.matches('[data-row]')) return 'Shift+Tab'
  const isAfter = (from.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  if (to.role === 'tab') return isAfter ? 'ArrowRight' : 'ArrowLeft'
  return isAfter ? 'ArrowDown' : 'ArrowUp'
}

/**
 * Returns true if the target is fully inside the window horizontally and at least partly vertically. For checkboxes,
 * the label counts.
 */
function isInSight(target: Element): boolean {
  const { left, right, top, bottom } = (target.closest('label') ?? target).getBoundingClientRect()
  return left >= 0 && right <= innerWidth && bottom > 0 && top < innerHeight
}

/** Presses keys until `nextKey` returns undefined. Returns false if the limit is reached. */
async function walk(page: Page, nextKey: () => Promise<string | undefined>): Promise<boolean> {
  for (let presses = 0; presses < mostPresses; presses++) {
    const key = await nextKey()
    if (key === undefined) return true
    await page.keyboard.press(key)
  }
  return false
}

/**
 * Moves the focus to the target with Tab, and with arrow keys between tabs, radio buttons, rows and menu links.
 * Resolves the element first, because a list that opens while the focus moves may hide it from role queries.
 */
export async function tabTo(target: Locator): Promise<void> {
  let element = await target.elementHandle()
  const isThere = await walk(target.page(), async () => {
    // a list that reloads may replace it
    if (!(await element.evaluate((it) => it.isConnected))) element = await target.elementHandle()
    return element.evaluate(keyTowards)
  })
  expect(isThere, `Tab leads to ${String(target)}`).toBe(true)
  await expect.poll(() => element.evaluate(isInSight), { message: `${String(target)} is in sight` }).toBe(true)
}

/** Moves the focus to the target with Tab and activates it with Enter. */
export async function press(target: Locator): Promise<void> {
  await tabTo(target)
  await expect(target).toBeEnabled()
  await target.page().keyboard.press('Enter')
}

/** Replaces the text of a field. */
export async function enter(field: Locator, text: string): Promise<void> {
  await tabTo(field)
  const { keyboard } = field.page()
  await keyboard.press('Control+a')
  await keyboard.type(text)
}

/** Selects a radio button, or selects or clears a checkbox. */
export async function tick(choice: Locator, isWanted = true): Promise<void> {
  await tabTo(choice)
  if ((await choice.isChecked()) !== isWanted) await choice.page().keyboard.press('Space')
  await expect(choice).toBeChecked({ checked: isWanted })
}

/** Chooses an entry in the open menu. */
export async function choose(page: Page, entry: string): Promise<void> {
  const item = page.getByRole('menuitem', { name: entry, exact: true })
  await expect(item).toBeVisible()
  const isThere = await walk(page, () =>
    item.evaluate((it) => (it === document.activeElement ? undefined : 'ArrowDown')),
  )
  expect(isThere, `arrows lead to ${entry}`).toBe(true)
  await page.keyboard.press('Enter')
}

/** Chooses an option in a combobox and expects the combobox to show it. */
export async function chooseIn(field: Locator, name: RegExp): Promise<void> {
  await addBy(field, name)
  await expect(field).toHaveValue(name)
}

/** Adds an option from a combobox's list. */
export async function addBy(field: Locator, name: RegExp): Promise<void> {
  const page = field.page()
  await tabTo(field)
  await page.keyboard.press('ArrowDown')
  const option = page.getByRole('option', { name })
  await expect(option).toBeVisible()
  const isThere = await walk(page, async () =>
    (await option.getAttribute('data-focused')) === null ? 'ArrowDown' : undefined,
  )
  expect(isThere, `arrows lead to ${String(name)}`).toBe(true)
  await page.keyboard.press('Enter')
  await expect(option).toBeHidden()
}

/** Chooses an option from the list that a button opens. */
export async function chooseOf(button: Locator, name: RegExp): Promise<void> {
  const page = button.page()
  await press(button)
  const option = page.getByRole('option', { name })
  await expect(option).toBeVisible()
  // arrow keys start at the selected option and stop at the ends
  await page.keyboard.press('Home')
  const isThere = await walk(page, () =>
    option.evaluate((it) => (it === document.activeElement ? undefined : 'ArrowDown')),
  )
  expect(isThere, `arrows lead to ${String(name)}`).toBe(true)
  await page.keyboard.press('Enter')
  await expect(option).toBeHidden()
}
