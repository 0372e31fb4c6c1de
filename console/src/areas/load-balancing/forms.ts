/* Load balancer forms, bundled into one chunk. */
export { default as BalancerAddPage } from './BalancerAddPage'
export { default as BalancerEditForm } from './BalancerEditForm'
export { default as PoolAddPage } from './pools/PoolAddPage'
export { default as PoolEditForm } from './pools/PoolEditForm'
export { default as PoolPartForm } from './pools/PoolPartForm'
