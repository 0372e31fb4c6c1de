import { createContext } from 'react'

/** Whether the page is rendered inside the frame, which then provides the main landmark. */
export const FramedContext = createContext(false)
