import { act, fireEvent } from '@testing-library/react'

/**
 * Presses what opens a menu or another part that is fetched when it is wanted. React may lose what suspends within an act
 * that nobody awaits, and the menu would never come.
 */
export const pressAndLoad = (element: Element): Promise<void> =>
  act(async () => {
    fireEvent.click(element)
  })
