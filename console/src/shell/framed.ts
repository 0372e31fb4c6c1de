import { createContext } from 'react'

/** Whether header and menu stand around a page, which is then no main part of its own. */
export const FramedContext = createContext(false)
