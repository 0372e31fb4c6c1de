import { parseAddress, parseRange, rangeText } from '@mainstay/contract/networking/addresses'
import { routeFaults, type ConnectedSubnet } from '@mainstay/contract/networking/router-rules'
import type { RouterRoute } from '@mainstay/contract/networking/routers'
import * as z from 'zod'
import type { Translate } from '../../../i18n/use-t'

/**
 * Returns the router's routes after a change: `route` is added, or replaces the route with the destination `edited`. If
 * `route` is null, that route is removed.
 */
export function routesWith(
  routes: readonly RouterRoute[],
  edited: string | null,
  route: RouterRoute | null,
): RouterRoute[] {
  const at = routes.findIndex(({ destination }) => destination === edited)
  if (at < 0) return route ? [...routes, route] : [...routes]
  return route ? routes.with(at, route) : routes.filter((_, index) => index !== at)
}

const tidy = ({ destination, nexthop }: RouterRoute): RouterRoute => {
  const range = parseRange(destination.trim())
  return { destination: range ? rangeText(range) : destination.trim(), nexthop: nexthop.trim() }
}

/** Schema for a static route, validated against the router's other routes and its networks. */
export const routeForm = (
  t: Translate<'networking'>,
  {
    routes,
    edited,
    connected,
  }: { routes: readonly RouterRoute[]; edited: string | null; connected: readonly ConnectedSubnet[] },
) =>
  z
    .object({ destination: z.string(), nexthop: z.string() })
    .superRefine((form, context) => {
      const wrong = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
      if (form.destination.trim() === '') wrong('destination', t('cidr.empty'))
      else if (parseRange(form.destination.trim()) === null) wrong('destination', t('cidr.invalid'))
      if (parseAddress(form.nexthop.trim()) === null) wrong('nexthop', t('routers.hopWrong'))
      const all = routesWith(routes, edited, tidy(form))
      const at = edited === null ? all.length - 1 : routes.findIndex(({ destination }) => destination === edited)
      for (const { field, code, message } of routeFaults(all, connected)) {
        const [, index, name = ''] = field.split('.')
        if (Number(index) !== at) continue
        const cidrs = connected.map(({ cidr }) => cidr).join(', ')
        wrong(name, code === 'nexthop_unreachable' && cidrs !== '' ? t('routers.hopOutside', { cidrs }) : message)
      }
    })
    .transform(tidy)
