import { lazy } from 'react'

/** Shown instead of the list in a project without instances: ways to create the first one. */
export const FirstInstance = lazy(() => import('./FirstRun'))
