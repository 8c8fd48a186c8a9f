import signal
from driver import *
def test_smoke(kafka_pair, run_driver, tmp_path, topic_name):
    import time
    t=topic_name("smoke"); a,b=kafka_pair
    a.create_topic(t, partitions=2)
    from kmirror.lab.fill import fill
    from kmirror.lab.check import check
    fill(a.bootstrap,t,records=100000,size_bytes=100,partitions=2)
    f=write_properties(tmp_path/"d",a,b,topics=t)
    t0=time.time(); d=run_driver(f); d.wait_running(); print("run",time.time()-t0)
    d.wait_until_caught_up(a,b,{t:"A."+t}); print("caught",time.time()-t0)
    print(d.members("java"), d.members())
    d.freeze(); d.thaw()
    print(d.text)
    t0=time.time(); assert d.stop()==0; print("stop",time.time()-t0)
    print(d.members()); print(check(a.bootstrap,b.bootstrap,{t:"A."+t}))
    d2=run_driver(f); d2.wait_running(); d2.kill(); assert not d2.members(); print(d2.exit_code)
    print(list((tmp_path/"d").rglob("*"))[:20])
