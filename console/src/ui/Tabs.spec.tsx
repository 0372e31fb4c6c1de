import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderUi } from '../testing/render-ui'
import { Tabs } from './Tabs'

afterEach(() => vi.restoreAllMocks())

const named = (counts: Record<string, number> = {}) =>
  ['overview', 'events', 'volumes', 'network'].map((id) => ({ id, label: id, count: counts[id] }))

/** Makes each tab 100 px wide (130 px with a count) in a list that shows 250 px. */
function withWidths() {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    if (this.getAttribute('role') !== 'tab') return new DOMRect(0, 0, 250, 36)
    const before = [...this.parentElement!.children].slice(0, [...this.parentElement!.children].indexOf(this))
    const width = (tab: Element) => (/\d/.test(tab.textContent ?? '') ? 130 : 100)
    const start = before.reduce((sum, tab) => sum + width(tab), 0) - this.parentElement!.scrollLeft
    return new DOMRect(start, 0, width(this), 36)
  })
}

test('scrolls the selected tab into view on open and when counts appear', () => {
  withWidths()
  const page = renderUi(<Tabs label="Machine" items={named()} selected="network" />)
  const list = screen.getByRole('tablist')
  expect(list.scrollLeft).toBe(150)
  page.rerender(<Tabs label="Machine" items={named({ volumes: 2, network: 1 })} selected="network" />)
  expect(list.scrollLeft).toBe(210)
  page.rerender(<Tabs label="Machine" items={named({ volumes: 2, network: 1 })} selected="overview" />)
  expect(list.scrollLeft).toBe(0)
})
