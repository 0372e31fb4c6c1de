import { Suspense } from 'react'
import { Outlet } from '@tanstack/react-router'
import { usePageTitle } from '../nav/page-now'
import { PageSpinner } from './PageSpinner'
import { useBrand } from './product'

/** Wraps every page, with or without the frame. */
export function Root() {
  usePageTitle(useBrand().productTitle)
  return (
    <Suspense fallback={<PageSpinner />}>
      <Outlet />
    </Suspense>
  )
}
