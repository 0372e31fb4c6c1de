import { use, type ComponentType } from 'react'
import type { RouteComponent } from '@tanstack/react-router'
import type { PageRoute } from './route'

type Page = ComponentType<Record<string, unknown>>

/** How browsers say that a file of the console is gone: a new version took its place. */
const isGone = (error: unknown) =>
  error instanceof Error &&
  /^(Failed to fetch dynamically imported|error loading dynamically imported|Importing a) module/.test(error.message)

/** A promise that `use()` has the value of at once. React looks at these two fields. */
const settled = (promise: Promise<Page>, value: Page) => Object.assign(promise, { status: 'fulfilled', value })

/**
 * A page whose code comes when the router asks for it, or with its first showing. `use()` is called in every render: React
 * complains of one that calls it only until the code is there, as the router's own `lazyRouteComponent` does.
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
    // what failed is told by the next render, and asked for again by the router
    const Shown = use(coming ?? fetched())
    return <Shown {...props} />
  }
  // a failure is the page's to tell
  const preload = () => fetched().then(ignore, reloadIfGone)
  return Object.assign(LazyPage, { preload })
}

const ignore = () => undefined

/** Brings the new version, once in a tab for each file, so that no tab reloads for ever. */
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
  // nothing is shown meanwhile
  return new Promise(() => {})
}
