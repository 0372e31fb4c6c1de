import { Link } from '../../../nav/Link'
import { routerResource } from '../routers/resource'
import { useRouters } from '../../../pickers/networking-lists'

/** Name of the router with the given ID, or a dash if there is none. */
export function RouterName({ id }: { id: string | null }) {
  const router = useRouters(id !== null).rows.find((it) => it.id === id)
  if (id === null) return '–'
  return <Link to={routerResource.paths.view(id)}>{router?.name ?? id.slice(0, 8)}</Link>
}
