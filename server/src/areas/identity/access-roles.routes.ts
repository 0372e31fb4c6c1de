import { accessRoleCalls, accessRoles } from '@mainstay/contract/identity/access-roles'
import { serve } from '../../http/serve'

export const accessRoleRoutes = serve(accessRoleCalls, { list: () => [...accessRoles] })
