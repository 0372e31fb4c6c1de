/* Load balancer lists and details pages, bundled into one chunk; the forms are in another. */
export { default as BalancerListPage } from './BalancerListPage'
export { default as BalancerPage } from './BalancerPage'
export { BalancerChartPage, PoolChartPage } from './chart-pages'
export { default as PoolPage } from './pools/PoolPage'
