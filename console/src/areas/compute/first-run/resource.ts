import { lazy } from 'react'

/** Replaces the list in a project without instances: ways to create the first one. */
export const FirstInstance = lazy(() => import('./FirstRun'))
