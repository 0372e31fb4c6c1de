import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { Menu } from './Menu'

const click = (element: Element) => fireEvent.click(element)
const press = (key: string) => {
  fireEvent.keyDown(document.activeElement ?? document.body, { key })
  fireEvent.keyUp(document.activeElement ?? document.body, { key })
}

type Items = Parameters<typeof Menu>[0]['items']
const menu = (items: Items) => <Menu label="Actions for web-1" items={items} />

async function open(items: Items) {
  const page = renderUi(menu(items))
  const button = screen.getByRole('button', { name: 'Actions for web-1' })
  act(() => button.focus())
  click(button)
  await waitFor(() => expect(screen.getByRole('menu').contains(document.activeElement)).toBe(true))
  return page
}

test('runs an action and closes the menu', async () => {
  const run = vi.fn()
  await open([{ label: 'Start', run }])
  expect(screen.getByRole('menu', { name: 'Actions for web-1' })).toBeTruthy()
  click(screen.getByRole('menuitem', { name: 'Start' }))
  expect(run).toHaveBeenCalledOnce()
  expect(screen.queryByRole('menu')).toBeNull()
})

test('a disabled action can be focused and states its reason, but does nothing', async () => {
  const run = vi.fn()
  await open([
    { label: 'Start', run: () => {} },
    { label: 'Stop', disabledBecause: 'It is being resized', run },
  ])
  const item = screen.getByRole('menuitem', { name: /Stop/ })
  expect(item.getAttribute('aria-disabled')).toBe('true')
  expect(item.textContent).toContain('It is being resized')
  press('ArrowDown')
  expect(document.activeElement).toBe(item)
  press('Enter')
  click(item)
  expect(run).not.toHaveBeenCalled()
  expect(screen.getByRole('menu')).toBeTruthy()
})

test('closes on Escape and restores the focus', async () => {
  await open([{ label: 'Start', run: () => {} }, 'line', { label: 'Delete', isDanger: true, run: () => {} }])
  expect(screen.getByRole('separator')).toBeTruthy()
  fireEvent.keyDown(screen.getByRole('menuitem', { name: 'Start' }), { key: 'Escape' })
  expect(screen.queryByRole('menu')).toBeNull()
  const button = screen.getByRole('button', { name: 'Actions for web-1' })
  await waitFor(() => expect(document.activeElement).toBe(button))
})

test('keeps the focus and the existing items when an action is added while the menu is open', async () => {
  const run = vi.fn()
  const remove = { label: 'Delete', isDanger: true, run }
  const { rerender } = await open([{ label: 'Start', run: () => {} }, remove])
  press('ArrowDown')
  const item = screen.getByRole('menuitem', { name: 'Delete' })
  expect(document.activeElement).toBe(item)
  rerender(menu([{ label: 'Start', run: () => {} }, { label: 'Edit', run: () => {} }, remove]))
  await screen.findByRole('menuitem', { name: 'Edit' })
  expect(screen.getByRole('menuitem', { name: 'Delete' })).toBe(item)
  expect(document.activeElement).toBe(item)
  click(item)
  expect(run).toHaveBeenCalledOnce()
})
