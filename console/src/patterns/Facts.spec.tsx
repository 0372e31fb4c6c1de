import { expect, it } from 'vitest'
import { render, screen } from '@testing-library/react'
import { Facts } from './Facts'

it('shows a dash for empty values and omits rows that do not apply', () => {
  render(<Facts rows={[['Members', false], ['Type', null], ['Note', ''], ['Size', 0], false, null]} />)
  expect(screen.getAllByRole('term').map(({ textContent }) => textContent)).toEqual(['Members', 'Type', 'Note', 'Size'])
  expect(screen.getAllByRole('definition').map(({ textContent }) => textContent)).toEqual(['–', '–', '–', '0'])
})

it('isolates text, so that number and unit keep their order in right-to-left languages', () => {
  render(<Facts rows={[['Lasted', '2 hr 5 min']]} />)
  expect(screen.getByText('2 hr 5 min').tagName).toBe('BDI')
})
