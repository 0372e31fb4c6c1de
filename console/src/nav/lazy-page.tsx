import { use, type ComponentType } from 'react'
import type { RouteComponent } from '@tanstack/react-router'
import type { PageRoute } from './route'

type Page = ComponentType<Record<string, unknown>>

/** Matches the browser errors for a missing chunk, which occur after a new console version has been deployed. */
const isGone = (error: unknown) =>
  error instanceof Error &&
  /^(Failed to fetch dynamically imported|error loading dynamically imported|Importing a) module/.test(error.message)

/** Marks a promise as fulfilled, so that `use()` returns its value without suspending. React reads these two fields. */
const settled = (promise: Promise<Page>, value: Page) => Object.assign(promise, { status: 'fulfilled', value })

/**
 * A page whose code is loaded when the router preloads it or when it is first rendered. `use()` is called in every
 * render: React warns about components that call it only while loading, as the router's own `lazyRouteComponent` does.
 */
export function lazyPage(load: PageRoute['load']): RouteComponent {
  let coming: Promise<Page> | undefined
  let hasFailed = false

  const fetched = () => {
    if (coming && !hasFailed) return coming
    hasFailed = false
    const promise = (load() as Promise<{ default: Page }>).then((module) => module.default)
    promise.then(
      (page) => settled(promise, page),
      () => (hasFailed = true),
    )
    return (coming = promise)
  }

  function LazyPage(props: Record<string, unknown>) {
    // a failed load throws here; the router then retries
    const Shown = use(coming ?? fetched())
    return <Shown {...props} />
  }
  // failures are reported when the page renders
  const preload = () => fetched().then(ignore, reloadIfGone)
  return Object.assign(LazyPage, { preload })
}

const ignore = () => undefined

/** Reloads to get the new version, once per tab and file to avoid a reload loop. */
function reloadIfGone(error: unknown): Promise<void> | void {
  if (!isGone(error)) return
  const key = `reloaded-for:${(error as Error).message}`
  try {
    if (sessionStorage.getItem(key)) return
    sessionStorage.setItem(key, '1')
  } catch {
    return
  }
  location.reload()
  // never resolves, so that nothing is shown until the reload
  return new Promise(() => {})
}
