import { fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render-ui'
import { FileDrop } from './FileDrop'

const files = { dataTransfer: { types: ['Files'] } }
const words = { dataTransfer: { types: ['text/plain'] } }
const show = (anywhere?: string) =>
  renderUi(<FileDrop label="From this computer" files={[]} onChange={() => {}} anywhere={anywhere} />)
const leaveFor = (relatedTarget: Element | null) =>
  fireEvent(window, Object.assign(new Event('dragleave'), { ...files, relatedTarget }))
const veil = () => screen.queryByText('Drop the file to upload it')

test('accepts a drop anywhere on the page while a file is dragged over it', () => {
  show('Drop the file to upload it')
  fireEvent.dragOver(window, words)
  expect(veil()).toBeNull()
  fireEvent.dragOver(window, files)
  expect(veil()).not.toBeNull()
  // moving between two elements on the page
  leaveFor(document.body)
  expect(veil()).not.toBeNull()
  leaveFor(null)
  expect(veil()).toBeNull()
})

test('a file dropped outside the drop zone does not replace the page', () => {
  show('Drop the file to upload it')
  const isLeftToBrowser = () => fireEvent.drop(document.body, files)
  expect(isLeftToBrowser()).toBe(false)
  expect(fireEvent.dragOver(document.body, files)).toBe(false)
  expect(isLeftToBrowser()).toBe(false)
  expect(veil()).toBeNull()
})

test('ignores files dragged over the page without `anywhere`', () => {
  show()
  fireEvent.dragOver(window, files)
  expect(veil()).toBeNull()
  expect(fireEvent.drop(document.body, files)).toBe(true)
})
