import { lazy } from 'react'

/** What a project without instances shows in the place of the list: how to start the first one. */
export const FirstInstance = lazy(() => import('./FirstRun'))
