import { expect, type BrowserContext, type Locator, type Page } from '@playwright/test'

/** More than any page needs; who has to press more keys gives up. */
const mostPresses = 80

/** Pages in which a mouse does nothing, and whoever uses one is told. */
export const refuseMouse = (pages: BrowserContext | Page): Promise<unknown> =>
  pages.addInitScript(() => {
    for (const type of ['pointerdown', 'mousedown', 'touchstart', 'click'])
      addEventListener(
        type,
        (event) => {
          // the click that a key makes counts no presses
          if (type === 'click' && (event as UIEvent).detail === 0) return
          event.stopImmediatePropagation()
          event.preventDefault()
          console.error('a mouse was used')
        },
        true,
      )
  })

/** The next key for whoever goes to this; none where it has the focus. Arrows walk through what Tab takes as one. */
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
  // arrows open the menu that a row ends with
  if (from !== focused && from.matches('[data-row]')) return 'Shift+Tab'
  const isAfter = (from.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  if (to.role === 'tab') return isAfter ? 'ArrowRight' : 'ArrowLeft'
  return isAfter ? 'ArrowDown' : 'ArrowUp'
}

/** It stands within the width of the window, whole, and in part within its height. A box is drawn by its label. */
function isInSight(target: Element): boolean {
  const { left, right, top, bottom } = (target.closest('label') ?? target).getBoundingClientRect()
  return left >= 0 && right <= innerWidth && bottom > 0 && top < innerHeight
}

/** Presses keys until none is left to press. */
async function walk(page: Page, nextKey: () => Promise<string | undefined>): Promise<boolean> {
  for (let presses = 0; presses < mostPresses; presses++) {
    const key = await nextKey()
    if (key === undefined) return true
    await page.keyboard.press(key)
  }
  return false
}

/**
 * Goes there by Tab, and by arrows among tabs, radio buttons, rows and links of the menu. A list that opens on the way may hide
 * it from roles.
 */
export async function tabTo(target: Locator): Promise<void> {
  const element = await target.elementHandle()
  const isThere = await walk(target.page(), () => element.evaluate(keyTowards))
  expect(isThere, `Tab leads to ${String(target)}`).toBe(true)
  await expect.poll(() => element.evaluate(isInSight), { message: `${String(target)} is in sight` }).toBe(true)
}

/** Does by Tab and Enter what others do by a click. */
export async function press(target: Locator): Promise<void> {
  await tabTo(target)
  await expect(target).toBeEnabled()
  await target.page().keyboard.press('Enter')
}

/** Types in the place of what stands in a field. */
export async function enter(field: Locator, text: string): Promise<void> {
  await tabTo(field)
  const { keyboard } = field.page()
  await keyboard.press('Control+a')
  await keyboard.type(text)
}

/** Chooses a radio button, or ticks a box or takes the tick away. */
export async function tick(choice: Locator, isWanted = true): Promise<void> {
  await tabTo(choice)
  if ((await choice.isChecked()) !== isWanted) await choice.page().keyboard.press('Space')
  await expect(choice).toBeChecked({ checked: isWanted })
}

/** Chooses an entry of the menu that is open. */
export async function choose(page: Page, entry: string): Promise<void> {
  const item = page.getByRole('menuitem', { name: entry, exact: true })
  await expect(item).toBeVisible()
  const isThere = await walk(page, () =>
    item.evaluate((it) => (it === document.activeElement ? undefined : 'ArrowDown')),
  )
  expect(isThere, `arrows lead to ${entry}`).toBe(true)
  await page.keyboard.press('Enter')
}

/** Chooses one of the list that a field opens, which shows it then. */
export async function chooseIn(field: Locator, name: RegExp): Promise<void> {
  await addBy(field, name)
  await expect(field).toHaveValue(name)
}

/** Adds one of the list that a field opens. */
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

/** Chooses one of the list that a button opens. */
export async function chooseOf(button: Locator, name: RegExp): Promise<void> {
  const page = button.page()
  await press(button)
  const option = page.getByRole('option', { name })
  await expect(option).toBeVisible()
  // its arrows stop at the ends, and begin at what is chosen
  await page.keyboard.press('Home')
  const isThere = await walk(page, () =>
    option.evaluate((it) => (it === document.activeElement ? undefined : 'ArrowDown')),
  )
  expect(isThere, `arrows lead to ${String(name)}`).toBe(true)
  await page.keyboard.press('Enter')
  await expect(option).toBeHidden()
}
