/* All networking forms in one chunk, since they share most of their code. */
export { default as FloatingIpAddForm } from './floating-ips/FloatingIpAddForm'
export { default as FloatingIpAssignForm } from './floating-ips/FloatingIpAssignForm'
export { default as FloatingIpEditForm } from './floating-ips/FloatingIpEditForm'
export { PublishForm } from './floating-ips/PublishForm'
export { default as AccessEditForm } from './networks/AccessEditForm'
export { default as NetworkAddForm } from './networks/NetworkAddForm'
export { default as NetworkEditForm } from './networks/NetworkEditForm'
export {
  RouterEdit,
  RouterEditOverList,
  RouterGateway,
  RouterGatewayOverList,
  RouterInterfaceAdd,
  RouterInterfaceOverList,
} from './routers/router-forms'
export { default as InterfaceEditForm } from './routers/InterfaceEditForm'
export { default as RouteForm } from './routers/RouteForm'
export { default as RouterAddForm } from './routers/RouterAddForm'
export { default as SecurityGroupAddForm } from './security-groups/SecurityGroupAddForm'
export { default as SecurityGroupEditForm } from './security-groups/SecurityGroupEditForm'
export { SentenceForm } from './security-groups/SentenceForm'
export { default as SubnetAddForm } from './subnets/SubnetAddForm'
export { default as SubnetEditForm } from './subnets/SubnetEditForm'
