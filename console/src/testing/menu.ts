import { act, fireEvent, screen, within } from '@testing-library/react'
import { pageTimeout } from './page-timeout'

/** The accessible name of a link, without the hidden number of open alerts. */
function nameOf(link: HTMLElement): string {
  const label = link.getAttribute('aria-label')
  if (label !== null) return label
  const shown = link.cloneNode(true) as HTMLElement
  for (const part of shown.querySelectorAll('[hidden], [aria-hidden="true"]')) part.remove()
  return shown.textContent
}
const linksIn = (part: HTMLElement) => within(part).getAllByRole('link')
const groups = async () => linksIn(await screen.findByRole('navigation', { name: 'Main menu' }, pageTimeout))

/**
 * Moves from the rail to a group’s pages with the arrow key and returns their links, whether they are in the column or
 * in a flyout.
 */
function enter(group: HTMLElement): HTMLElement[] {
  act(() => group.focus())
  fireEvent.keyDown(group, { key: 'ArrowRight' })
  const pages = screen.queryByRole('navigation', { name: nameOf(group) })
  return pages ? linksIn(pages) : [group]
}

/** The links of all pages in the menu by group name, in menu order. A group with one page has a single link. */
export async function menuByGroup(): Promise<Record<string, HTMLElement[]>> {
  const found: Record<string, HTMLElement[]> = {}
  for (const group of await groups()) {
    found[nameOf(group)] = enter(group)
    fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
  }
  return found
}

/** Paths of all pages in the menu. */
export const menuLinks = async (): Promise<(string | null)[]> =>
  Object.values(await menuByGroup()).flatMap((links) => links.map((link) => link.getAttribute('href')))

/** Opens a page through the menu. */
export async function goByMenu(group: string, entry: string): Promise<void> {
  const pages = enter((await groups()).find((link) => nameOf(link) === group)!)
  fireEvent.click(pages.find((link) => nameOf(link) === entry)!)
}
