import { act, fireEvent } from '@testing-library/react'

/**
 * Presses an element that opens a lazily loaded part, such as a menu. The asynchronous act is required: in a
 * synchronous one React may drop the suspended update, and the menu would never appear.
 */
export const pressAndLoad = (element: Element): Promise<void> =>
  act(async () => {
    fireEvent.click(element)
  })
