import { fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { useEntryFocus } from './use-entry-focus'

function Entries() {
  const [names, setNames] = useState(['one'])
  const { place, toNew, toRest } = useEntryFocus(names.length)
  return (
    <div ref={place}>
      {names.map((name) => (
        <p key={name}>
          <input aria-label={name} />
          <button
            onClick={() => {
              toRest()
              setNames(names.filter((it) => it !== name))
            }}
          >
            Remove {name}
          </button>
        </p>
      ))}
      <p>
        <button
          onClick={() => {
            toNew()
            setNames([...names, 'two'])
          }}
        >
          Add
        </button>
        <button onClick={() => setNames([...names, 'from elsewhere'])}>Read anew</button>
      </p>
    </div>
  )
}

it('focuses a new entry, and the add button after an entry is removed', () => {
  render(<Entries />)
  const press = (name: string) => {
    const button = screen.getByRole('button', { name })
    button.focus()
    fireEvent.click(button)
  }
  press('Add')
  expect(document.activeElement).toBe(screen.getByLabelText('two'))
  press('Remove one')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add' }))
  // entries that the user did not add do not move the focus
  press('Read anew')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Read anew' }))
})
