import { act, fireEvent, screen, within } from '@testing-library/react'
import { pageTimeout } from './page-timeout'

/** The name of a link, without what describes it: how many alerts are open. */
function nameOf(link: HTMLElement): string {
  const label = link.getAttribute('aria-label')
  if (label !== null) return label
  const shown = link.cloneNode(true) as HTMLElement
  for (const part of shown.querySelectorAll('[hidden], [aria-hidden="true"]')) part.remove()
  return shown.textContent
}
const linksIn = (part: HTMLElement) => within(part).getAllByRole('link')
const groups = async () => linksIn(await screen.findByRole('navigation', { name: 'Main menu' }, pageTimeout))

/** Goes from the rail to the pages of a group, as the arrow key does: they stand in a column, or float. */
function enter(group: HTMLElement): HTMLElement[] {
  act(() => group.focus())
  fireEvent.keyDown(group, { key: 'ArrowRight' })
  const pages = screen.queryByRole('navigation', { name: nameOf(group) })
  return pages ? linksIn(pages) : [group]
}

/** The links of each group of the menu in their order, by the name of the group: its pages, or its one page. */
export async function menuByGroup(): Promise<Record<string, HTMLElement[]>> {
  const found: Record<string, HTMLElement[]> = {}
  for (const group of await groups()) {
    found[nameOf(group)] = enter(group)
    fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
  }
  return found
}

/** Every page that the menu leads to, by its address. */
export const menuLinks = async (): Promise<(string | null)[]> =>
  Object.values(await menuByGroup()).flatMap((links) => links.map((link) => link.getAttribute('href')))

/** Goes to a page by the menu: its group, then its entry there. */
export async function goByMenu(group: string, entry: string): Promise<void> {
  const pages = enter((await groups()).find((link) => nameOf(link) === group)!)
  fireEvent.click(pages.find((link) => nameOf(link) === entry)!)
}
