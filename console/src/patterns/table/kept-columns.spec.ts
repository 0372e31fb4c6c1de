import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useKeptColumns } from './kept-columns'

const opened = () => renderHook(() => useKeptColumns('disks')).result

it('keeps the chosen columns until they are reset', () => {
  const first = opened()
  expect(first.current[0]).toBeNull()
  act(() => first.current[1](['size']))
  expect([first.current[0], opened().current[0]]).toEqual([['size'], ['size']])
  act(() => first.current[1](null))
  expect([first.current[0], opened().current[0]]).toEqual([null, null])
})
