import { useState } from 'react'
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { Dialog } from './Dialog'
import { Drawer } from './Drawer'

function Page({ isModal = false }: { isModal?: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button onClick={() => setOpen(true)}>Open</button>
      <Drawer title="web-1" isOpen={isOpen} onClose={() => setOpen(false)} isModal={isModal}>
        Details
      </Drawer>
    </>
  )
}

function open() {
  const button = screen.getByRole('button', { name: 'Open' })
  act(() => button.focus())
  fireEvent.click(button)
  return button
}

test('a details drawer takes the focus but leaves the page usable; Escape closes it and restores the focus', () => {
  renderUi(<Page />)
  const button = open()
  const drawer = screen.getByRole('dialog', { name: 'web-1' })
  expect(document.activeElement).toBe(drawer)
  expect(screen.getByRole('button', { name: 'Open' })).toBe(button)
  fireEvent.keyDown(drawer, { key: 'Escape' })
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(document.activeElement).toBe(button)
})

test('a modal drawer makes the page inert', () => {
  renderUi(<Page isModal />)
  open()
  expect(screen.getByRole('dialog', { name: 'web-1' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Open' })).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a dialog is labelled by its title', () => {
  renderUi(
    <Dialog title="Delete web-1?" isOpen onClose={() => {}} role="alertdialog">
      Its volumes stay.
    </Dialog>,
  )
  expect(screen.getByRole('alertdialog', { name: 'Delete web-1?' })).toBeTruthy()
})
