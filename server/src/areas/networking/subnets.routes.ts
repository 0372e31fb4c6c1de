import { subnetKind, subnets, type Subnet } from '@mainstay/contract/networking/subnets'
import { readFrom, serve } from '../../http/serve'

export const subnetRoutes = serve(subnets, readFrom<Subnet>(subnetKind), { kind: subnetKind })
